import { randomBytes, randomUUID } from 'node:crypto';
import type { RandomSource } from '../domain/random.ts';

export const systemRandom: RandomSource = {
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
};
