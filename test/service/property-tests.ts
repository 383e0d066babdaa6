import fc from 'fast-check';
import { testSeed } from './seeded-random.ts';

/** Runs before each test file, so that all property tests and samples use the same seed. */
fc.configureGlobal({ seed: testSeed });
