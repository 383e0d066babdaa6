import type { Capability, StepContext } from '../capability.ts';
import { edgeCount, nodeOf, repositoryJobNode } from '../service.ts';

const edges = Array.from({ length: edgeCount }, (_, edge) => nodeOf(edge));
const consumers = ['propagate-access-change', 'follow-changes'];
const jobs = [...consumers, repositoryJobNode];
const lengths = [5, 40, 120, 400] as const;

function pause(context: StepContext, kind: 'partitioned' | 'frozen', nodes: readonly string[], words: string) {
  const { kernel, pick, tell } = context;
  const seconds = pick(lengths) ?? 5;
  for (const node of nodes) kernel[kind].set(node, kernel.now + seconds * 1000);
  tell(`${words} for ${seconds} s`);
  kernel.met(words.replace(/^\S*\d /, 'an edge ').replace(/^edge-\d/, 'an edge'));
}

const one = (nodes: readonly string[]) => (context: StepContext) => context.pick(nodes) ?? 'api';

/** Faults of the environment. They are steps of a history, so that shrinking removes the faults that do not matter. */
export const faults: Capability = {
  name: 'faults of the environment',
  actions: {
    'partition of an edge': {
      weight: 2,
      run: async (context) => {
        const node = one(edges)(context);
        pause(context, 'partitioned', [node], `${node} cannot reach the table`);
      },
    },
    'home region out of reach': {
      weight: 1,
      run: async (context) => pause(context, 'partitioned', edges, 'No edge can reach the home region'),
    },
    'stream out of reach': {
      weight: 2,
      run: async (context) => {
        const node = one(jobs)(context);
        pause(context, 'partitioned', [node], `${node} cannot reach the table`);
      },
    },
    'frozen instance': {
      weight: 2,
      run: async (context) => {
        const node = one([...edges, ...jobs])(context);
        pause(context, 'frozen', [node], `${node} is frozen`);
      },
    },
    'clock skew': {
      weight: 2,
      run: async (context) => {
        const node = one([...edges, ...jobs, 'api'])(context);
        const milliseconds = context.pick([-5000, -900, 900, 5000] as const) ?? 900;
        context.kernel.skew.set(node, milliseconds);
        context.kernel.met('clock skew');
        context.tell(`The clock of ${node} differs by ${milliseconds} ms`);
      },
    },
    'replayed stream': {
      weight: 2,
      run: async (context) => {
        const count = context.pick([1, 3, 20] as const) ?? 1;
        context.service.replay(count);
        context.kernel.met('replayed stream');
        context.tell(`The stream delivers the last ${count} changes of each queue again`);
      },
    },
    'new instance': {
      weight: 1,
      run: async (context) => {
        const edge = context.pick([...edges.keys()]) ?? 0;
        context.service.restartEdge(edge);
        context.kernel.met('new instance');
        context.tell(`edge ${edge} starts anew`);
      },
    },
    'late indexes': {
      weight: 2,
      run: async (context) => {
        const { kernel } = context;
        const seconds = context.pick([1, 5] as const) ?? 1;
        kernel.table.areIndexesLate = true;
        kernel.at(kernel.now + seconds * 1000, () => kernel.table.catchUpIndexes());
        kernel.met('late indexes');
        context.tell(`The indexes are ${seconds} s late`);
      },
    },
    'storage without answers': {
      weight: 3,
      run: async (context) => {
        const seconds = context.pick(lengths) ?? 5;
        context.service.storage.failsUntil = context.kernel.now + seconds * 1000;
        context.tell(`The storage leaves half of the requests without an answer for ${seconds} s`);
      },
    },
    'deletion by TTL': {
      weight: 1,
      run: async (context) => {
        context.kernel.table.deleteExpired(context.kernel.now);
        context.kernel.met('deletion by TTL');
        context.tell('The table deletes expired items');
      },
    },
  },
};
