import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What one request read of the table. */
export interface CountedReads {
  requests: number;
  /** Of the longest chain of reads of which each was sent after the one before had been answered. */
  oneAfterAnother: number;
  items: number;
}

const reading = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand']);

interface ReadAnswer {
  Item?: unknown;
  Items?: unknown[];
  Responses?: Record<string, unknown[]>;
}

/** Counts what a client reads, one request of the service at a time. Writes are not counted: none hangs on what is there. */
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
