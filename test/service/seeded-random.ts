import { createCipheriv, hash } from 'node:crypto';

/**
 * The seed of all generated test data. `npm test` always uses the same seed, so a run fails only because of a change.
 * `npm run fuzz` chooses a new seed for each run, and `SEED=7` repeats a run.
 */
export const testSeed = Number(process.env['SEED'] ?? 13);

/** Returns incompressible bytes, the same for each run with one seed. `label` selects different bytes. */
export function seededBytes(length: number, label = ''): Buffer<ArrayBuffer> {
  const key = hash('sha256', `${testSeed} ${label}`, 'buffer').subarray(0, 16);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length)) as Buffer<ArrayBuffer>;
}

/** Returns a function like `Math.random`, with the same numbers for each run with one seed. */
export function seededNumbers(label: string): () => number {
  let drawn = 0;
  return () => {
    drawn += 1;
    return seededBytes(4, `${label} ${drawn}`).readUInt32BE() / 2 ** 32;
  };
}
