import { declarators, openToAnyone } from './operation.ts';

// This operation has a file of its own, because the bundle of every page contains it. In a larger file, each bundle
// would contain the examples of all operations in the group.
const define = declarators({ group: 'public', ...openToAnyone });
export const unknownRouteOperations = define.all;

/**
 * Answers requests for unknown routes with a problem document. If the URL contains a key, the response warns about it.
 */
export const answerUnknownRoute = define.fallback({
  name: 'answer-unknown-route',
  summary: 'Return 404 for unknown routes',
  path: '/$default',
  outsideBase: true,
});
