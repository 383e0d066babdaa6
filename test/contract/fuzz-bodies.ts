import fc from 'fast-check';
import * as z from 'zod';
import type { Operation } from '../../lib/operations/operation.ts';

/** Characters of every kind, including those that cause errors in databases, logs, and terminals. */
const character = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\0', '\u0085', '\u2028', '\ufeff', '\uffff', '🌊', '"', '\\', '$', '{{', '%00'),
  },
);
/** Texts of every form that a schema of the API may require. */
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: character, maxLength: 60 }) },
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z0-9]{2,8}(?:-[a-z0-9]{1,8}){0,3}[a-z0-9]$/) },
  fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
  fc.stringMatching(/^(?:[A-Za-z0-9_=]{1,9}\/){0,3}$/),
  fc.stringMatching(/^10\.\d{4,9}\/[\x21-\x7e]{1,40}$/),
  fc.stringMatching(/^arn:aws(?:-cn)?:iam::\d{12}:role\/[\w+=,.@/-]{1,40}$/),
  fc.webUrl({ validSchemes: ['http', 'https'], withFragments: true, withQueryParameters: true }),
  fc
    .date({ min: new Date('2070-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom('MIT', '(MIT OR Apache-2.0) AND CC0-1.0', 'a/b', 'o@1/r@2', 'eu-west-1', 'us-gov-east-1'),
  fc.constantFrom('https://storage.example.org', 'v1/{{repository.repository_id}}/{{repository.account_id}}/'),
);

/** IDs that exist in the test service. */
const existing: Readonly<Record<string, unknown>> = { data_connection_id: 'store-one' };

/**
 * Returns valid bodies of an operation, generated from its schema. If no generator can produce a value, uses the
 * example's value.
 */
export function validBodies({ body = z.unknown(), example, group }: Operation): fc.Arbitrary<unknown> {
  const sample = example?.body;
  const isObject = typeof sample === 'object' && sample !== null && !Array.isArray(sample);
  const fixed =
    !isObject || group === 'data-connections' ? [] : Object.entries(existing).filter(([name]) => name in sample);
  const valid = isObject ? { ...sample, ...Object.fromEntries(fixed) } : sample;
  const generated = arbitraryOf(body, valid).map((value) =>
    isObject ? { ...(value as object), ...Object.fromEntries(fixed) } : value,
  );
  // The example with one generated field satisfies rules between fields too.
  const changed = fc.tuple(generated, fc.nat()).map(([value, at]) => {
    const fields = isObject ? Object.entries(value as object).filter(([name]) => name in (valid as object)) : [];
    return isObject
      ? { ...(valid as object), ...Object.fromEntries(fields.slice(at % (fields.length + 1)).slice(0, 1)) }
      : value;
  });
  return fc.oneof(generated, changed).map((value) => (body.safeParse(value).success ? value : valid));
}

function arbitraryOf(schema: z.core.$ZodType, example: unknown): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
      return fc.option(arbitraryOf(def.innerType, example), { nil: undefined });
    case 'nullable':
      return fc.option(arbitraryOf(def.innerType, example), { nil: null });
    case 'pipe':
      return validOr(schema, example, arbitraryOf(def.in, example));
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]) => {
        const value = (example as Readonly<Record<string, unknown>> | undefined)?.[name];
        return [name, validOr(field, value, arbitraryOf(field, value))] as const;
      });
      return fc.record(Object.fromEntries(fields)).map(withoutUndefined);
    }
    case 'array': {
      const element = arbitraryOf(def.element, (example as readonly unknown[] | undefined)?.[0]);
      return validOr(schema, example, fc.array(element, { maxLength: 5 }));
    }
    case 'union':
      return fc.oneof(...def.options.map((option) => validOr(option, example, arbitraryOf(option, example))));
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'boolean':
      return fc.boolean();
    case 'number':
      return validOr(schema, example, fc.integer({ min: -10, max: 10_000 }));
    case 'string':
      return validOr(schema, example, texts);
    default:
      return fc.constant(example);
  }
}

/** Replaces invalid generated values by the example's values. */
function validOr(schema: z.core.$ZodType, example: unknown, arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return arbitrary.map((value) => (z.safeParse(schema, value).success ? value : example));
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}
