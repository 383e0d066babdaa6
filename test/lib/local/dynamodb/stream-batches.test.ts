import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { deliverBatch, type StreamHandler } from '../../../../lib/local/dynamodb/stream-batches.ts';

const records: DynamoDBRecord[] = ['1', '2', '3', '4'].map((number) => ({ dynamodb: { SequenceNumber: number } }));

/** Delivers four stream records. Returns what the handler received, batch by batch, and which records were given up. */
async function deliver(decide: (numbers: string[], call: number) => string[] | undefined) {
  const seen: string[] = [];
  const poison: string[] = [];
  const handler: StreamHandler = async ({ Records }) => {
    const numbers = Records.map((record) => record.dynamodb?.SequenceNumber ?? '');
    seen.push(numbers.join(''));
    const failed = decide(numbers, seen.length);
    return failed && { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
  await deliverBatch(records, {
    handler,
    triesMax: 3,
    retryAfterMs: 0,
    onPoison: (record) => poison.push(record.dynamodb?.SequenceNumber ?? ''),
    signal: new AbortController().signal,
  });
  return { seen, poison };
}

describe('a batch', () => {
  test('that succeeds is delivered once', async () => {
    expect(await deliver(() => [])).toEqual({ seen: ['1234'], poison: [] });
  });

  test('is delivered again from the first reported record on', async () => {
    const delivered = await deliver((_numbers, call) => (call === 1 ? ['4', '3'] : []));
    expect(delivered).toEqual({ seen: ['1234', '34'], poison: [] });
  });

  test('continues after a reported record that always fails', async () => {
    const delivered = await deliver((numbers) => (numbers.includes('2') ? ['2'] : []));
    expect(delivered).toEqual({ seen: ['1234', '234', '234', '34'], poison: ['2'] });
  });

  test('that fails as a whole is bisected down to the failing record', async () => {
    const delivered = await deliver((numbers) => {
      if (numbers.includes('3')) throw new Error('cannot read it');
      return [];
    });
    expect(delivered.poison).toEqual(['3']);
    expect(delivered.seen.slice(0, 4)).toEqual(['1234', '1234', '1234', '12']);
    expect(delivered.seen.at(-1)).toBe('4');
  });

  test('fails as a whole when it reports an unknown identifier', async () => {
    const delivered = await deliver((_numbers, call) => (call === 1 ? ['99'] : []));
    expect(delivered).toEqual({ seen: ['1234', '1234'], poison: [] });
  });

  test('counts the attempts of each record separately', async () => {
    const delivered = await deliver((_numbers, call) => [[], ['1'], ['1'], ['2'], ['2'], []][call]);
    expect(delivered).toEqual({ seen: ['1234', '1234', '1234', '234', '234'], poison: [] });
  });
});
