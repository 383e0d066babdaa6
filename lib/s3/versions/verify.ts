import * as z from 'zod';
import type { Verification, VerificationFailure } from '../../domain/data/repository-versions.ts';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../domain/time.ts';
import { StorageRefusal } from '../job-requests.ts';
import type { JobStorage } from './job-storage.ts';
import { AlteredManifestError, decodeIndex, decodePage, type ManifestEntry } from './manifest.ts';

/** The saved position of a verification: the next page of the manifest, and the next entry in it. */
export const verificationCursorSchema = z.object({ page: z.int(), entry: z.int() });
export type VerificationCursor = z.infer<typeof verificationCursorSchema>;

/** The numbers of objects that a verification has checked so far. */
export type VerificationCounts = Pick<Verification, 'checked' | 'missing' | 'changed' | 'problems'>;

export type VerificationOutcome =
  | { kind: 'done'; counts: VerificationCounts }
  | { kind: 'failed'; reason: VerificationFailure; detail: string; counts: VerificationCounts }
  /** The run ended at its time limit. The next run continues. */
  | { kind: 'continues' };

export interface VerificationServices {
  storage: JobStorage;
  /** Saves the position and the counts. Throws if another run has saved a position since this run began. */
  save: (cursor: VerificationCursor, counts: VerificationCounts) => Promise<void>;
  clock: Clock;
  /** The time in milliseconds since the Unix epoch at which the run must save its position and end. */
  endsAt: number;
  /** The number of objects after which the position is saved. By default, the limit of the service. */
  objectsPerSave?: number;
}

/**
 * Compares the objects of a repository version with the storage, from a saved position. After a crash, the next run
 * repeats the requests since the last save. Throws errors that may pass, such as a storage that does not respond.
 */
export async function continueVerification(
  index_sha256: string,
  from: { cursor: VerificationCursor; counts: VerificationCounts },
  services: VerificationServices,
): Promise<VerificationOutcome> {
  const counts = { ...from.counts, problems: [...from.counts.problems] };
  try {
    return await walk(index_sha256, from.cursor, counts, services);
  } catch (error) {
    const reason = findReason(error);
    if (reason === undefined || !(error instanceof Error)) throw error;
    return { kind: 'failed', reason, detail: error.message, counts };
  }
}

function findReason(error: unknown): VerificationFailure | undefined {
  if (error instanceof AlteredManifestError) return 'manifest_altered';
  if (!(error instanceof StorageRefusal)) return undefined;
  // A missing part of the manifest fails with 404. A missing object of the version does not fail, because it is a
  // result of the verification.
  return error.status === 404 ? 'manifest_altered' : 'storage_refuses';
}

async function walk(
  index_sha256: string,
  from: VerificationCursor,
  counts: VerificationCounts,
  { storage, save, clock, endsAt, objectsPerSave = limits.verificationObjectsPerSave }: VerificationServices,
): Promise<VerificationOutcome> {
  const pages = decodeIndex(await storage.getPart(index_sha256), index_sha256);
  let savedAt = counts.checked;
  for (let page = from.page; page < pages.length; page += 1) {
    const { sha256 = '' } = pages[page] ?? {};
    const entries = decodePage(await storage.getPart(sha256), sha256);
    let entry = page === from.page ? from.entry : 0;
    while (entry < entries.length) {
      const batch = entries.slice(entry, entry + limits.verificationRequestsAtOnce);
      countAll(counts, batch, await Promise.all(batch.map((each) => storage.findStoredVersion(each))));
      entry += batch.length;
      const isOver = clock() >= endsAt;
      if (!isOver && counts.checked - savedAt < objectsPerSave) continue;
      await save({ page, entry }, counts);
      savedAt = counts.checked;
      if (isOver) return { kind: 'continues' };
    }
  }
  return { kind: 'done', counts };
}

function countAll(
  counts: VerificationCounts,
  entries: readonly ManifestEntry[],
  found: readonly ({ size: number; etag: string } | undefined)[],
): void {
  for (const [at, { key, size, etag }] of entries.entries()) {
    counts.checked += 1;
    const stored = found[at];
    if (stored?.size === size && stored.etag === etag) continue;
    const problem = stored === undefined ? 'missing' : 'changed';
    counts[problem] += 1;
    if (counts.problems.length < limits.verificationProblemsMax) counts.problems.push({ key, problem });
  }
}
