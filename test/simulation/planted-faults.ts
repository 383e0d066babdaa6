import type { SendTableRequest, TableRequests } from '../../lib/store/table-requests.ts';
import { type Plant, repositoryJobNode } from './service.ts';

/** A fault that a test plants in the service. The named checker must find it. */
export interface PlantedFault {
  name: string;
  checker: RegExp;
  /** True if mostly histories without faults of the environment show the fault, because their bounds are short. */
  isCalm?: true;
  plant: () => Plant;
}

/** Changes all requests of one kind, such as transactions. */
function changed<Name extends keyof TableRequests>(
  kind: Name,
  change: (send: SendTableRequest, input: TableRequests[Name], node: string) => Promise<unknown>,
): NonNullable<Plant['send']> {
  return (send, node) => async (name, input) => {
    if (String(name) !== kind) return send(name, input);
    return (await change(send, input as TableRequests[Name], node)) as never;
  };
}

type TransactItem = NonNullable<TableRequests['TransactWriteItems']['TransactItems']>[number];

function withoutConditions(items: readonly TransactItem[]): TransactItem[] {
  return items.flatMap((item) => {
    if (item.ConditionCheck !== undefined) return [];
    const [[kind, { ConditionExpression: _, ...request }]] = Object.entries(item) as unknown as [
      [string, Record<string, unknown>],
    ];
    if (request['UpdateExpression'] !== undefined) return [{ [kind]: request } as unknown as TransactItem];
    // Removes the names and values of the condition too, because the table refuses unused ones.
    const { ExpressionAttributeNames: _names, ExpressionAttributeValues: _values, ...plain } = request;
    return [{ [kind]: plain } as unknown as TransactItem];
  });
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'the caches of the edge never expire and never read the feed',
    checker: /^data: nothing is allowed after its revocation/,
    plant: withoutExpiry,
  },
  {
    name: 'an edge caches refusals without end',
    checker: /^data: nothing stays refused/,
    plant: () => {
      const refused = new Map<string, Awaited<ReturnType<Parameters<NonNullable<Plant['object']>>[0]>>>();
      return {
        object: (handler) => async (event) => {
          const request = event.Records[0]?.cf.request;
          const principal = /Credential=[^/]+/.exec(request?.headers['authorization']?.[0]?.value ?? '')?.[0] ?? '';
          const repository = request?.uri.split('/', 3).join('/');
          const name = `${request?.method} ${repository} ${principal}`;
          const known = refused.get(name);
          if (known !== undefined) return known;
          const result = await handler(event);
          if ('status' in result && result.status === '403') refused.set(name, result);
          return result;
        },
      };
    },
  },
  {
    name: 'the feed leaves out every second entry',
    isCalm: true,
    checker: /^data: nothing (is allowed after|stays refused)/,
    plant: () => ({
      feed: (feed) => ({
        readSince: async (since, now) => (await feed.readSince(since, now)).filter((_, index) => index % 2 === 1),
      }),
    }),
  },
  {
    name: 'the consumer of access changes drops the last record of each batch',
    isCalm: true,
    checker: /^data: nothing (is allowed after|stays refused)/,
    plant: () => ({
      consumer: (handler, name) => async (event) =>
        handler({ Records: name === 'propagate-access-change' ? event.Records.slice(0, -1) : event.Records }),
    }),
  },
  {
    name: 'the cleanup of a deleted repository drops its record',
    checker: /^acknowledged changes are there/,
    plant: () => ({
      consumer: (handler, name) => async (event) =>
        handler({ Records: name === 'follow-changes' ? [] : event.Records }),
    }),
  },
  {
    name: 'transactions have no conditions',
    checker: /^(uniqueness holds|acknowledged changes are there)/,
    plant: () => ({
      send: changed('TransactWriteItems', (send, { TransactItems = [], ...rest }) =>
        send('TransactWriteItems', { ...rest, TransactItems: withoutConditions(TransactItems) }),
      ),
    }),
  },
  {
    name: 'a transaction writes its first item only',
    checker: /^acknowledged changes are there/,
    plant: () => ({
      send: changed('TransactWriteItems', (send, { TransactItems = [] }, node) =>
        send('TransactWriteItems', { TransactItems: node === 'api' ? TransactItems.slice(0, 1) : TransactItems }),
      ),
    }),
  },
  {
    name: 'the table confirms some writes of the API that it does not make',
    checker: /^acknowledged changes are there|^management|^exchange|^data/,
    plant: () => {
      let requests = 0;
      return {
        send: changed('TransactWriteItems', async (send, input, node) => {
          requests += 1;
          return node === 'api' && requests % 3 === 0 ? {} : send('TransactWriteItems', input);
        }),
      };
    },
  },
  {
    name: 'the exchange gets the first answer of each read ten times more',
    checker: /^exchange: nothing is allowed after its revocation/,
    plant: () => staleReads(/^edge-/),
  },
  {
    name: 'the management API gets the first answer of each read ten times more',
    checker: /^(management|without faults)|^acknowledged/,
    plant: () => staleReads(/^api$/),
  },
  {
    name: 'the report of a leaked key is confirmed, and the key stays valid',
    checker: /^acknowledged changes are there|^exchange: nothing is allowed after its revocation/,
    plant: () => ({
      send: changed('UpdateItem', async (send, input, node) =>
        node === 'api' && String(input.Key?.['pk']).startsWith('SERVICE_KEY#') ? {} : send('UpdateItem', input),
      ),
    }),
  },
  {
    name: 'a refused transaction writes its first item',
    checker: /^a refused request changes nothing|^acknowledged/,
    plant: () => ({
      send: changed('TransactWriteItems', async (send, input, node) => {
        try {
          return await send('TransactWriteItems', input);
        } catch (error) {
          const [first] = withoutConditions(input.TransactItems ?? []);
          if (node === 'api' && first !== undefined) await send('TransactWriteItems', { TransactItems: [first] });
          throw error;
        }
      }),
    }),
  },
  {
    name: 'the storage lists the oldest version of each key first',
    checker: /^versions: each object was current at the instant/,
    plant: () => ({
      storage: (fetch) => async (request, body, bounds) => {
        const answer = await fetch(request, body, bounds);
        const isList = request.rawQuery.includes('versions') && !request.rawQuery.includes('order');
        return isList ? { ...answer, body: Buffer.from(withOldestFirst(answer.body.toString())) } : answer;
      },
    }),
  },
  {
    name: 'an edge reads the newest object instead of the stored version',
    checker: /^versions: a version never changes/,
    plant: () => ({
      object: (handler) => async (event) => {
        const result = await handler(event);
        return 'uri' in result ? { ...result, querystring: '' } : result;
      },
    }),
  },
  {
    name: 'the caches of the edge never read the state of a version again',
    checker: /^versions: nothing is read after a withdrawal/,
    plant: withoutExpiry,
  },
  {
    name: 'the table confirms the result of a freeze that it does not store',
    checker: /^versions: a freeze ends/,
    plant: () => ({
      send: changed('TransactWriteItems', async (send, input, node) =>
        node === repositoryJobNode ? {} : send('TransactWriteItems', input),
      ),
    }),
  },
  {
    name: 'the storage answers with another ETag after a freeze',
    checker: /^versions: a verification finds what is stored/,
    plant: () => ({
      storage: (fetch) => async (request, body, bounds) => {
        const answer = await fetch(request, body, bounds);
        return { ...answer, headers: { ...answer.headers, etag: '"other"' } };
      },
    }),
  },
  {
    name: 'an edge does not see the revoked links of a repository',
    isCalm: true,
    checker: /^data: nothing is allowed after its revocation/,
    plant: () => ({ send: withoutFields('revoked_links') }),
  },
  {
    name: 'a disabling ends no links',
    isCalm: true,
    checker: /^data: nothing is allowed after its revocation/,
    plant: () => ({ send: withoutFields('times_links_ended', 'times_disabled') }),
  },
  {
    name: 'an edge forwards another key than the one that it checked',
    checker: /^links: nothing outside a link is accessed/,
    plant: () => ({
      object: (handler) => async (event) => {
        const result = await handler(event);
        return 'uri' in result ? { ...result, uri: result.uri.replace(/\/a\/b$/, '/ab') } : result;
      },
    }),
  },
  {
    name: 'the revocation of a link leaves its record',
    checker: /^acknowledged changes are there/,
    plant: () => ({
      send: changed('TransactWriteItems', (send, { TransactItems = [], ...rest }) => {
        const isKept = ({ Delete }: TransactItem) => String(Delete?.Key?.['pk']).startsWith('LINK#');
        return send('TransactWriteItems', { ...rest, TransactItems: TransactItems.filter((item) => !isKept(item)) });
      }),
    }),
  },
  {
    name: 'the job of a deletion deletes a file of another repository too',
    checker: /^file deletions: no other file is deleted/,
    plant: () => ({
      storage: (fetch) => async (request, body, bounds) => {
        const more = '<Object><Key>data/tides/open/object</Key></Object></Delete>';
        const isDeletion = request.method === 'POST' && request.rawQuery.includes('delete');
        const sent = isDeletion ? Buffer.from(Buffer.from(body).toString().replace('</Delete>', more)) : body;
        return fetch(request, sent, bounds);
      },
    }),
  },
  {
    name: 'a deletion of files reserves neither its path nor its prefix',
    checker: /^file deletions: the path and the prefix are reserved/,
    plant: () => ({
      send: (send) => async (name, input) => {
        if (name === 'TransactWriteItems') {
          const { TransactItems = [] } = input as TableRequests['TransactWriteItems'];
          const isKept = ({ Put }: TransactItem) => Put?.Item?.['entity'] !== 'deleting_path';
          return send(name, { ...input, TransactItems: TransactItems.filter(isKept) } as never);
        }
        const answer = structuredClone(await send(name, input)) as { Item?: Record<string, unknown> };
        delete answer.Item?.['deletion_id'];
        return answer as never;
      },
    }),
  },
  {
    name: 'the storage leaves out the last object of each list',
    checker: /^file deletions: no file is left at the end/,
    plant: () => ({
      storage: (fetch) => async (request, body, bounds) => {
        const answer = await fetch(request, body, bounds);
        const shown = answer.body
          .toString()
          .replace(/<Contents>(?:(?!<Contents>).)*<\/Contents>(?=<\/ListBucketResult>)/s, '');
        return request.rawQuery.includes('max-keys') ? { ...answer, body: Buffer.from(shown) } : answer;
      },
    }),
  },
  {
    name: 'the storage confirms deletions that it does not make',
    checker: /^file deletions: a deletion ends/,
    plant: () => ({
      storage: (fetch) => async (request, body, bounds) => {
        if (request.method !== 'POST' || !request.rawQuery.includes('delete')) return fetch(request, body, bounds);
        const keys =
          Buffer.from(body)
            .toString()
            .match(/<Key>.*?<\/Key>/g) ?? [];
        const deleted = keys.map((key) => `<Deleted>${key}</Deleted>`).join('');
        return { status: 200, headers: {}, body: Buffer.from(`<DeleteResult>${deleted}</DeleteResult>`) };
      },
    }),
  },
];

/** Removes fields from the table items that the data proxy reads in an edge region. */
function withoutFields(...fields: readonly string[]): NonNullable<Plant['send']> {
  return changed('BatchGetItem', async (send, input, node) => {
    const answer = await send('BatchGetItem', input);
    if (!node.startsWith('edge-')) return answer;
    const copy = structuredClone(answer);
    for (const item of Object.values(copy.Responses ?? {}).flat()) for (const field of fields) delete item[field];
    return copy;
  });
}

/** Stops the clock of the caches, so that entries never expire and the feed is never read. */
function withoutExpiry(): Plant {
  return {
    cacheClock: (clock) => {
      const now = clock();
      return () => now;
    },
  };
}

/** Reverses the versions of each key in one page of a list. */
function withOldestFirst(document: string): string {
  const element = /<(Version|DeleteMarker)>.*?<\/\1>/gs;
  const keyOf = (text: string) => /<Key>(.*?)<\/Key>/.exec(text)?.[1];
  const groups = Map.groupBy(document.match(element) ?? [], keyOf);
  const reversed = [...groups.values()].flatMap((versions) => versions.reverse());
  return document.replace(element, () => reversed.shift() ?? '');
}

/** Returns the first answer again when the same request is repeated. After ten repetitions, reads the table again. */
function staleReads(nodes: RegExp): Plant {
  const answers = new Map<string, { answer: unknown; uses: number }>();
  return {
    send: changed('BatchGetItem', async (send, input, node) => {
      if (!nodes.test(node)) return send('BatchGetItem', input);
      const name = JSON.stringify(input);
      const known = answers.get(name);
      if (known !== undefined && known.uses < 10) {
        known.uses += 1;
        return structuredClone(known.answer);
      }
      const answer = await send('BatchGetItem', input);
      answers.set(name, { answer: structuredClone(answer), uses: 0 });
      return answer;
    }),
  };
}
