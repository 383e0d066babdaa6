import { carriesServiceAccountKey } from '../../domain/service-accounts/key-in-url.ts';
import { type OwnResponse, type ViewerRequestEvent, valuesOf } from './events.ts';

/**
 * The viewer-request function for `/.health`. It creates the response itself. Like all viewer functions, it refuses a
 * URL with a service account key.
 */
export function handle(event: ViewerRequestEvent): OwnResponse {
  const query = event.request.querystring;
  for (const name in query) {
    const field = query[name];
    if (field && carriesServiceAccountKey(`${name}=${valuesOf(field).join('&')}`)) {
      return { statusCode: 400, statusDescription: 'Bad Request', headers: { 'cache-control': { value: 'no-store' } } };
    }
  }
  return {
    statusCode: 200,
    statusDescription: 'OK',
    headers: { 'content-type': { value: 'application/json' }, 'cache-control': { value: 'no-store' } },
    body: '{"status":"ok"}',
  };
}
