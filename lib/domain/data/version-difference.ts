import * as z from 'zod';

const countSchema = z.object({ files: z.int(), bytes: z.int() });

/** The difference between two versions of a repository, as the data proxy returns it. */
export const versionDifferenceSchema = z.object({
  added: countSchema,
  removed: countSchema,
  /**
   * The changed files. `bytes` is their size in the later version, and `bytes_before` is their size in the earlier
   * version.
   */
  changed: countSchema.extend({ bytes_before: z.int() }),
  /** The first files that differ, in the order of keys. For a removed file, `bytes` is its earlier size. */
  files: z.array(z.object({ key: z.string(), change: z.enum(['added', 'removed', 'changed']), bytes: z.int() })),
  /** The key at which the list of files continues. Absent if the list is complete. */
  next_key: z.string().optional(),
  /**
   * The first key that the comparison did not reach. The counts do not include it and later keys. Absent if all keys
   * were compared.
   */
  compared_before: z.string().optional(),
});
export type VersionDifference = z.infer<typeof versionDifferenceSchema>;
