import type { Place, Side } from './sides.ts';

/**
 * A request that is sent to the proxy and directly to storage, each with its own keys. All answers are compared,
 * including refusals.
 */
export interface Call {
  title: string;
  /** A storage that answers this request in a way that no client can use. */
  notBefore?: Place;
  run(side: Side): Promise<unknown>;
}

export const at = (side: Side, name: string) => ({ Bucket: side.bucket, Key: side.prefix + name });

/** Returns the output of a request, or undefined for a refusal. The response is recorded in both cases. */
export async function attempt<T>(sent: Promise<T>): Promise<T | undefined> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof Error && '$metadata' in error) return undefined;
    throw error;
  }
}

/** Objects that many requests read. They are stored once for the proxy and once for the direct storage. */
export const text = '0123456789';
export const fixtures = { text: 'fixture/text', empty: 'fixture/empty', parts: 'fixture/parts' };

export const past = new Date('2020-01-01T00:00:00Z');
export const future = new Date('2030-01-01T00:00:00Z');
export const textETag = '"781e5e245d69b566979b86e28d23f2c7"';
export const otherETag = '"00000000000000000000000000000000"';
