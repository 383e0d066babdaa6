import * as z from 'zod/mini';

/**
 * Adds methods of `zod` to the schemas of `zod/mini`: those that the bundles of the edge and of pages use. The schemas
 * then parse as with `zod`, but without 70 KB of methods and JSON schemas that slow down a cold start.
 *
 * The bundler replaces the module `zod` by `zod/mini` and this file, so no source imports this file. TypeScript checks
 * the sources against `zod`. A test compares the two for every schema in these bundles. If a method is missing, the
 * bundle fails when it loads, because it creates its schemas then.
 */

type Schema = z.ZodMiniType;
type Checked = Parameters<Schema['check']>[0];

const ofAll = {
  optional(this: Schema) {
    return z.optional(this);
  },
  exactOptional(this: Schema) {
    return z.exactOptional(this);
  },
  readonly(this: Schema) {
    return z.readonly(this);
  },
  nullable(this: Schema) {
    return z.nullable(this);
  },
  default(this: Schema, value: unknown) {
    return z._default(this, value);
  },
  refine(this: Schema, ...given: Parameters<typeof z.refine>) {
    return this.check(z.refine(...given) as Checked);
  },
  transform(this: Schema, change: (value: unknown) => unknown) {
    return z.pipe(this, z.transform(change));
  },
  pipe(this: Schema, next: Schema) {
    return z.pipe(this, next);
  },
  nullish(this: Schema) {
    return z.nullish(this);
  },
};

const ofLengths = {
  min(this: Schema, ...given: Parameters<typeof z.minLength>) {
    return this.check(z.minLength(...given) as Checked);
  },
  max(this: Schema, ...given: Parameters<typeof z.maxLength>) {
    return this.check(z.maxLength(...given) as Checked);
  },
};

const ofStrings = {
  ...ofLengths,
  regex(this: Schema, ...given: Parameters<typeof z.regex>) {
    return this.check(z.regex(...given) as Checked);
  },
};

const ofNumbers = {
  nonnegative(this: Schema) {
    return this.check(z.nonnegative() as Checked);
  },
  positive(this: Schema) {
    return this.check(z.positive() as Checked);
  },
  min(this: Schema, ...given: Parameters<typeof z.gte>) {
    return this.check(z.gte(...given) as Checked);
  },
  max(this: Schema, ...given: Parameters<typeof z.lte>) {
    return this.check(z.lte(...given) as Checked);
  },
};

const ofObjects = {
  extend(this: z.ZodMiniObject, shape: z.core.$ZodShape) {
    return z.extend(this, shape);
  },
  omit(this: z.ZodMiniObject, mask: Record<string, true>) {
    return z.omit(this, mask);
  },
  pick(this: z.ZodMiniObject, mask: Record<string, true>) {
    return z.pick(this, mask);
  },
  keyof(this: z.ZodMiniObject) {
    return z.keyof(this);
  },
};

/**
 * Adds the methods to the prototype of each class, as non-enumerable properties. `zod` would bind enumerable properties
 * to every new schema.
 */
function give(members: object, ...classes: { prototype: object }[]): void {
  for (const [name, value] of Object.entries({ ...ofAll, ...members })) {
    for (const { prototype } of classes) Object.defineProperty(prototype, name, { value });
  }
}

give(
  ofStrings,
  z.ZodMiniString,
  z.ZodMiniStringFormat,
  z.ZodMiniURL,
  z.ZodMiniUUID,
  z.ZodMiniBase64,
  z.ZodMiniISODateTime,
);
give(ofNumbers, z.ZodMiniNumber, z.ZodMiniNumberFormat);
give(ofObjects, z.ZodMiniObject);
give(ofLengths, z.ZodMiniArray);
give({}, z.ZodMiniBoolean, z.ZodMiniDefault, z.ZodMiniDiscriminatedUnion, z.ZodMiniEnum, z.ZodMiniLiteral);
give({}, z.ZodMiniNullable, z.ZodMiniOptional, z.ZodMiniPipe, z.ZodMiniRecord, z.ZodMiniSet, z.ZodMiniTransform);
give({}, z.ZodMiniTuple, z.ZodMiniUndefined, z.ZodMiniUnion, z.ZodMiniUnknown);
