import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerData } from '../model/data.ts';
import { answerManagement } from '../model/management.ts';
import { testSeed } from '../service/seeded-random.ts';
import { Differential, isLeftToRun } from './differential.ts';
import { dataSetArbitrary } from './generated-data-sets.ts';
import { dataArbitrary, managementArbitrary } from './generated-questions.ts';
import { ruledAnswer, ruledDataAnswer } from './ruled-answers.ts';

// The mutation runner repeats these tests for each mutant, so they ask few questions and stop at the first difference.
// test/access/rules.test.ts asks 120,000 questions.
const kinds = {
  'management API': {
    arbitrary: managementArbitrary,
    start: () => new Differential(answerManagement, ruledAnswer, isLeftToRun),
  },
  'data proxy': { arbitrary: dataArbitrary, start: () => new Differential(answerData, ruledDataAnswer) },
};
const samples = Object.entries(kinds).flatMap(([name, kind]) => {
  const questions = fc.tuple(dataSetArbitrary, fc.array(kind.arbitrary, { minLength: 50, maxLength: 50 }));
  return [0, 1, 2].map((number) => ({ name, number, ...kind, questions }));
});

test.each(samples)(
  'the $name answers sample $number as the access model does',
  async ({ questions, start, number }) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      const differential = start();
      for (const [dataSet, all] of fc.sample(questions, { numRuns: 40, seed: testSeed + 7 * number })) {
        for (const asked of all) await differential.askOnce({ dataSet, ...asked });
        expect(differential.differences()).toEqual([]);
      }
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  },
);
