export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
}

export type Client = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Returns a function that sends requests to the management API with these headers. */
export function createClient(apiUrl: string, defaults: Record<string, string>): Client {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(path.startsWith('http') ? path : `${apiUrl}/api/v1${path}`, {
      method,
      headers: { ...defaults, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text || undefined };
  };
}
