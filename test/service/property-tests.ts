import fc from 'fast-check';
import { testSeed } from './seeded-random.ts';

/** Runs before each test file: no property test and no sample has a seed of its own. */
fc.configureGlobal({ seed: testSeed });
