import type { EdgeLog } from '../../edge/handlers.ts';

export const edgeLog: EdgeLog = ({ request_id, failure }) => {
  const error = failure instanceof Error ? failure : new Error(String(failure));
  const cause = error.cause instanceof Error ? { cause: `${error.cause.name}: ${error.cause.message}` } : {};
  console.error(
    JSON.stringify({
      level: 'ERROR',
      request_id,
      error: error.name,
      message: error.message,
      ...cause,
      stack: error.stack,
    }),
  );
};
