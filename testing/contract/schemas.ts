import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { document } from '../../generated/document.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
ajv.addSchema(document, 'openapi')

const compiled = new Map<object | string, ValidateFunction>()

/**
 * What of a value does not fit a schema, in one line; undefined when it fits.
 * @param schema a schema of the document, or a pointer into it, such as `#/components/schemas/Job`.
 */
export function misfit(value: unknown, schema: object | string): string | undefined {
  let validate = compiled.get(schema)
  if (validate === undefined) {
    validate = ajv.compile(typeof schema === 'string' ? { $ref: `openapi${schema}` } : schema)
    compiled.set(schema, validate)
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}
