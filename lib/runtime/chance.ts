import { randomBytes, randomUUID } from 'node:crypto';
import type { Chance } from '../domain/chance.ts';

export const systemChance: Chance = {
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
};
