import * as z from 'zod';
import { checksumAlgorithms, checksumTypes } from '../checksums.ts';

/** A file with bytes of an object. An object's segments are in order. */
const segmentSchema = z.object({
  file: z.string(),
  size_bytes: z.int(),
  /** Base64, with the object's checksum algorithm. */
  checksum: z.string().optional(),
});
export type Segment = z.infer<typeof segmentSchema>;

const attributesSchema = z.object({
  /** Headers that reads return, by lower-case name: content-type and similar, x-amz-meta-*. */
  headers: z.record(z.string(), z.string()),
  storage_class: z.string(),
  tags: z.array(z.tuple([z.string(), z.string()])),
});
/** Attributes that a client sets beside the bytes. */
export type ObjectAttributes = z.infer<typeof attributesSchema>;

export const objectRecordSchema = attributesSchema.extend({
  key: z.string(),
  /** Without quotes. */
  etag: z.string(),
  size_bytes: z.int(),
  /** Milliseconds since the Unix epoch, whole seconds. */
  last_modified: z.int(),
  checksum: z
    .object({ algorithm: z.enum(checksumAlgorithms), type: z.enum(checksumTypes), value: z.string() })
    .optional(),
  /** True when the segments are the parts of a multipart upload. */
  is_multipart: z.boolean(),
  segments: z.array(segmentSchema),
});
export type ObjectRecord = z.infer<typeof objectRecordSchema>;

export const uploadRecordSchema = attributesSchema.extend({
  upload_id: z.string(),
  key: z.string(),
  initiated: z.int(),
  checksum: z.object({ algorithm: z.enum(checksumAlgorithms), type: z.enum(checksumTypes) }).optional(),
});
export type UploadRecord = z.infer<typeof uploadRecordSchema>;

export const partRecordSchema = segmentSchema.extend({
  part_number: z.int(),
  etag: z.string(),
  last_modified: z.int(),
  checksum_algorithm: z.enum(checksumAlgorithms).optional(),
});
export type PartRecord = z.infer<typeof partRecordSchema>;

/** Rounds to whole seconds, as S3 stores times. */
export function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
