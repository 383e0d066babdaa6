import { declarators, openToAnyone } from './operation.ts';

// In a file of its own, because every page contains this operation. The file of its group would add the examples of all
// operations to each page's bundle.
const define = declarators({ group: 'public', ...openToAnyone });
export const unknownRouteOperations = define.all;

/**
 * Answers requests for unknown routes. These responses are then problem documents too. If the URL contains a key, the
 * response warns about it.
 */
export const answerUnknownRoute = define.fallback({
  name: 'answer-unknown-route',
  summary: 'Return 404 for unknown routes',
  path: '/$default',
  outsideBase: true,
});
