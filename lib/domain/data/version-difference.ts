import * as z from 'zod';

const countSchema = z.object({ files: z.int(), bytes: z.int() });

/** The difference of two versions of a repository, as the data proxy returns it. */
export const versionDifferenceSchema = z.object({
  added: countSchema,
  removed: countSchema,
  /**
   * `bytes` is the size of the files in the later version. `bytes_before` is the size of the files in the earlier
   * version.
   */
  changed: countSchema.extend({ bytes_before: z.int() }),
  /** The first files that differ, in the order of keys. For a removed file, `bytes` is its earlier size. */
  files: z.array(z.object({ key: z.string(), change: z.enum(['added', 'removed', 'changed']), bytes: z.int() })),
  /** The key at which the list of files continues. Absent if the list is complete. */
  next_key: z.string().optional(),
  /** The first key that was not compared, so that the counts do not include it. Absent if all keys were compared. */
  compared_before: z.string().optional(),
});
export type VersionDifference = z.infer<typeof versionDifferenceSchema>;
