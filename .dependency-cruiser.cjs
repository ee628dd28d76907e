/** The import arrows of the project. Each rule says why. */
const only = (name, comment, from, allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { pathNot: allowed },
})
const packages = (names) => `^(node_modules/(${names})(/|$)|(${names})$)`
const core = '^server/(job|handler|errors|telemetry|timer|duration)\\.ts$'

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle is two files that are one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-to-test',
      comment: 'What ships never needs the tests.',
      severity: 'error',
      from: { path: '^(server|client|generated)' },
      to: { path: '^(test|bench|examples)' },
    },
    only('generated-imports-nothing', 'It is made from the contract and the DDL alone.', '^generated', ['^generated']),
    only('client-is-for-browsers', 'No server code and nothing of Node may reach a browser.', '^client', [
      '^client',
      '^generated/openapi\\.ts$',
      packages('openapi-fetch|eventsource-parser'),
    ]),
    only('core-knows-no-adapter', 'States, handlers and errors know neither HTTP nor SQL.', core, [
      core,
      '^generated/openapi\\.ts$',
    ]),
    only('store-is-the-only-sql', 'The store speaks to PostgreSQL and to nobody else.', '^server/store', [
      '^server/store',
      core,
      '^generated/schema\\.ts$',
      packages('pg|@types/pg'),
      '^node:',
      '^(crypto|events|timers/promises)$',
    ]),
    only('jobs-know-no-http-no-sql', 'Use cases see the port of the store, never its statements.', '^server/jobs', [
      '^server/jobs',
      core,
      '^server/store/port\\.ts$',
      packages('ajv|ajv-formats|uuid'),
      '^node:',
      '^(crypto|events|timers/promises)$',
    ]),
    only(
      'executor-sees-ports',
      'The executor runs attempts with the use cases; it knows no HTTP and no SQL.',
      '^server/executor',
      ['^server/executor', core, '^server/store/port\\.ts$', '^server/jobs', '^node:', '^(crypto|events|timers/promises)$'],
    ),
    only('http-translates', 'HTTP translates requests to use cases and never touches the store.', '^server/http', [
      '^server/http',
      core,
      '^server/jobs',
      '^generated/(openapi|document)\\.ts$',
      packages('express|@types/express|express-openapi-validator|ajv|ajv-formats'),
      '^node:',
      '^(http|net|stream|events)$',
    ]),
    {
      name: 'embedded-is-for-development',
      comment: 'A production install has no PostgreSQL binaries; only the runnable server may ask for them.',
      severity: 'error',
      from: { path: '^(server|client)', pathNot: '^server/(embedded|main\\.ts)' },
      to: { path: '^server/embedded' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '^dist' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
}
