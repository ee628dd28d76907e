import type { AsyncJobs } from 'async-jobs/server'
import { Router } from 'express'
import type { Pool } from 'pg'
import { userOf } from './auth.ts'

/** The work of the type `prices`. Safe to repeat. */
export async function refreshPrices(pool: Pool, tenant: string): Promise<void> {
  await pool.query('UPDATE products SET price_cents = cost_cents * 12 / 10 WHERE tenant = $1', [tenant])
}

async function saveCost(pool: Pool, product: { tenant: string; sku: string; costCents: number }): Promise<void> {
  await pool.query(
    `INSERT INTO products (tenant, sku, cost_cents) VALUES ($1, $2, $3)
     ON CONFLICT (tenant, sku) DO UPDATE SET cost_cents = excluded.cost_cents`,
    [product.tenant, product.sku, product.costCents],
  )
}

/** What the jobs have left behind, and how old it is. */
async function readPrices({ pool, asyncJobs }: ProductParts, tenant: string): Promise<object> {
  const [{ rows }, refreshedAt, fresh] = await Promise.all([
    pool.query('SELECT sku, price_cents AS "priceCents" FROM products WHERE tenant = $1 ORDER BY sku', [tenant]),
    asyncJobs.lastRefreshedAt('prices', { tenant }),
    asyncJobs.isFresh('prices', { tenant }),
  ])
  return { prices: rows, refreshedAt: refreshedAt ?? null, fresh }
}

export interface ProductParts {
  readonly pool: Pool
  readonly asyncJobs: AsyncJobs
}

/** The application's own resource, beside the jobs. */
export function productRoutes(parts: ProductParts): Router {
  const router = Router()
  router.put('/products/:sku', (req, res, next) => {
    const { costCents } = (req.body ?? {}) as { costCents?: unknown }
    if (typeof costCents !== 'number' || !Number.isInteger(costCents)) {
      res.status(400).json({ error: 'costCents: expected an integer' })
      return
    }
    const product = { tenant: userOf(req).tenant, sku: req.params.sku, costCents }
    saveCost(parts.pool, product).then(() => res.status(204).end(), next)
  })
  router.get('/prices', (req, res, next) => {
    readPrices(parts, userOf(req).tenant).then((prices) => res.json(prices), next)
  })
  return router
}
