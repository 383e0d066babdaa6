import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The reads from the table that one request causes. */
export interface CountedReads {
  requests: number;
  /** The length of the longest chain of sequential reads. */
  oneAfterAnother: number;
  items: number;
}

const reading = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand']);

interface ReadAnswer {
  Item?: unknown;
  Items?: unknown[];
  Responses?: Record<string, unknown[]>;
}

/**
 * Counts the reads of a client, one service request at a time. Writes are not counted, because their number does not
 * depend on stored data.
 */
export function countReads() {
  let counted: CountedReads = { requests: 0, oneAfterAnother: 0, items: 0 };
  return {
    instrument: (client: Pick<DynamoDBClient, 'middlewareStack'>) =>
      client.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            if (!reading.has(String(commandName))) return next(args);
            const current = counted;
            current.requests += 1;
            const depth = current.oneAfterAnother + 1;
            const answer = await next(args);
            const { Item, Items = [], Responses = {} } = answer.output as ReadAnswer;
            current.items += Items.length + Object.values(Responses).flat().length + (Item === undefined ? 0 : 1);
            current.oneAfterAnother = Math.max(current.oneAfterAnother, depth);
            return answer;
          },
        { step: 'initialize' },
      ),
    async during(act: () => Promise<unknown>): Promise<CountedReads> {
      counted = { requests: 0, oneAfterAnother: 0, items: 0 };
      const mine = counted;
      await act();
      return mine;
    },
  };
}
