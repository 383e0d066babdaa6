import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerData } from '../model/data.ts';
import { answerManagement, operations } from '../model/management.ts';
import { testSeed } from '../service/seeded-random.ts';
import { Differential, isLeftToRun, questionsAsked } from './differential.ts';
import { dataSetArbitrary } from './generated-data-sets.ts';
import { type Asked, dataArbitrary, managementArbitrary } from './generated-questions.ts';
import { ruledAnswer, ruledDataAnswer } from './ruled-answers.ts';

const questionsPerDataSet = 50;
const dataSetsPerChunk = 50;

/** Generates questions in batches, because a million of them at once need too much memory. */
function* generated<T>(arbitrary: fc.Arbitrary<T>, count: number) {
  const chunk = fc.tuple(
    dataSetArbitrary,
    fc.array(arbitrary, { minLength: questionsPerDataSet, maxLength: questionsPerDataSet }),
  );
  for (let done = 0; done < count; done += questionsPerDataSet * dataSetsPerChunk) {
    yield* fc.sample(chunk, { numRuns: dataSetsPerChunk, seed: testSeed + done });
  }
}

async function differential(differences: Differential, arbitrary: fc.Arbitrary<Asked>, count: number): Promise<void> {
  const { stackTraceLimit } = Error;
  // Refusals are errors. Without their stack traces, the test takes much less time.
  Error.stackTraceLimit = 0;
  try {
    for (const [dataSet, questions] of generated(arbitrary, count)) {
      for (const asked of questions) await differences.ask({ dataSet, ...asked });
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  expect(differences.differences(), `with SEED=${testSeed}`).toEqual([]);
}

const management = new Differential(answerManagement, ruledAnswer, isLeftToRun);
const data = new Differential(answerData, ruledDataAnswer);

test('the management API permits exactly the requests that the access model allows', {
  timeout: 3_600_000,
}, async () => {
  await differential(management, managementArbitrary, questionsAsked(80_000));
});

test('the data proxy permits exactly the requests that the access model allows', { timeout: 3_600_000 }, async () => {
  await differential(data, dataArbitrary, questionsAsked(40_000));
});

test('the test cases contain an allowed and a refused caller of every operation', () => {
  for (const [operation, words] of operations) {
    const answers = [...(management.answers.get(operation)?.keys() ?? [])];
    if (words.includes('partner')) continue;
    expect(answers, operation).toContain('allowed');
    if (!words.includes('anyone')) expect(answers.length, operation).toBeGreaterThan(1);
  }
  expect(management.count + data.count).toBeGreaterThanOrEqual(100_000);
});
