/** The import arrows of the project. Each rule says why. */
const rule = (name, comment, { from, only, node = true }) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { pathNot: only, ...(node ? { dependencyTypesNot: ['core'] } : {}) },
})
const packages = (names) => `^node_modules/(${names})(/|$)`
const core = '^server/(job|handler|errors|telemetry|timer|duration)\\.ts$'
const port = '^server/store/port\\.ts$'
const contract = '^generated/openapi\\.ts$'

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle is two files that are one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    rule('generated-imports-nothing', 'It is made from the contract and the DDL alone.', {
      from: '^generated',
      only: ['^generated'],
      node: false,
    }),
    rule('client-is-for-browsers', 'No server code and nothing of Node may reach a browser.', {
      from: '^client/[^/]+$',
      only: ['^client/[^/]+$', contract, packages('openapi-fetch|eventsource-parser')],
      node: false,
    }),
    rule(
      'react-uses-the-client',
      'The hooks have of the client what every consumer has, so that nothing else needs React.',
      {
        from: '^client/react',
        only: ['^client/(react/|index\\.ts$)', packages('react|@types/react|@tanstack/react-query')],
        node: false,
      },
    ),
    {
      name: 'not-to-react',
      comment: 'Who has no React must be able to load every other entry.',
      severity: 'error',
      from: { path: '^(server|client|generated|testing)', pathNot: '^client/react' },
      to: { path: '^(client/react|node_modules/(react|react-dom|@tanstack)(/|$))' },
    },
    rule('core-knows-no-adapter', 'States, handlers and errors know neither HTTP nor SQL.', {
      from: core,
      only: [core, contract],
    }),
    rule('store-is-the-only-sql', 'The store speaks to PostgreSQL and to nobody else.', {
      from: '^server/store',
      only: ['^server/store', core, '^generated/schema\\.ts$', packages('pg|@types/pg')],
    }),
    rule('jobs-know-no-http-no-sql', 'Use cases see the port of the store, never its statements.', {
      from: '^server/jobs',
      only: ['^server/jobs', core, port, packages('ajv|ajv-formats|uuid')],
    }),
    rule('executor-sees-ports', 'The executor runs attempts with the use cases; it knows no HTTP and no SQL.', {
      from: '^server/executor',
      only: ['^server/executor', core, port, '^server/jobs'],
    }),
    rule('http-translates', 'HTTP translates requests to use cases and never touches the store.', {
      from: '^server/http',
      only: [
        '^server/http',
        core,
        '^server/jobs',
        '^generated/(openapi|document)\\.ts$',
        packages('express|@types/express|express-openapi-validator'),
      ],
    }),
    rule('cli-looks-at-schemas', 'The command compares schemas; it runs no jobs and serves no HTTP.', {
      from: '^server/cli',
      only: ['^server/cli', '^server/store/catalog\\.ts$', '^generated/schema\\.ts$', packages('pg|@types/pg')],
    }),
    rule(
      'testing-sees-the-port',
      'It tests what a consumer puts in the place of our store, so it knows the port alone.',
      {
        from: '^testing/(index|store|contract)',
        only: [
          '^testing/(index|store|contract)',
          core,
          port,
          '^generated',
          packages('uuid|ajv|ajv-formats|eventsource-parser'),
        ],
      },
    ),
    rule(
      'fake-is-for-browsers',
      'It answers with what the server makes its answers of, but takes nothing that needs Node, HTTP or SQL.',
      {
        from: '^testing/fake',
        only: [
          '^testing/(fake|contract)',
          core,
          '^server/http/(idempotency-key|job-event|job-representation|job-view|policy|prefer|problem-body|reply)\\.ts$',
          '^server/jobs/(failure|percent)\\.ts$',
          packages('uuid'),
        ],
        node: false,
      },
    ),
    {
      name: 'not-to-testing',
      comment: 'It is for the tests of consumers; nothing that runs in production needs it.',
      severity: 'error',
      from: { path: '^(server|client|generated|examples)' },
      to: { path: '^testing' },
    },
    {
      name: 'embedded-is-for-development',
      comment: 'A production install has no PostgreSQL binaries; only the runnable server may ask for them.',
      severity: 'error',
      from: { path: '^(server|client)', pathNot: '^server/(embedded|main\\.ts)' },
      to: { path: '^server/embedded' },
    },
    {
      name: 'not-to-test',
      comment: 'What ships never needs the tests.',
      severity: 'error',
      from: { path: '^(server|client|generated|testing)' },
      to: { path: '^(test|bench|examples)/' },
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
