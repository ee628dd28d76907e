import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A user and a group of the operating system. */
export interface Identity {
  readonly uid: number
  readonly gid: number
}

const UNPRIVILEGED_USERS = ['postgres', 'nobody']

/**
 * The user that runs PostgreSQL, which refuses to run as root. `undefined`: the user of this process.
 *
 * For root: the owner of the existing cluster, else `postgres`, else `nobody`. No user is ever created.
 *
 * @param cluster folder of an existing cluster, if there is one
 * @throws when this process is root and the system has neither user, or the cluster belongs to somebody else
 */
export async function chooseIdentity(cluster?: string): Promise<Identity | undefined> {
  const ours = process.getuid?.()
  if (ours === undefined) return undefined
  const owner = cluster === undefined ? undefined : await stat(cluster)
  if (ours !== 0) {
    if (owner === undefined || owner.uid === ours) return undefined
    throw new Error(`${cluster} belongs to the user with id ${owner.uid}: start as that user, or remove the folder`)
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return findUnprivilegedUser(await readFile('/etc/passwd', 'utf8'))
}

/** Picks the user from the text of `/etc/passwd`. */
export function findUnprivilegedUser(passwd: string): Identity {
  const accounts = passwd.split('\n').map((line) => line.split(':'))
  for (const name of UNPRIVILEGED_USERS) {
    const account = accounts.find(([user, , uid]) => user === name && Number(uid) !== 0)
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) }
  }
  throw new Error(
    'PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody": ' +
      'start as an ordinary user, or set DATABASE_URL',
  )
}

/** Whether the identity may pass through a folder and all folders above it. Looks at mode bits only, not at ACLs. */
export async function canReach(folder: string, identity: Identity): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder)
  const bit = uid === identity.uid ? 0o100 : gid === identity.gid ? 0o010 : 0o001
  if ((mode & bit) === 0) return false
  const parent = dirname(folder)
  return parent === folder || (await canReach(parent, identity))
}
