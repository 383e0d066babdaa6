const underWay = new Map<string, Promise<Response>>();

/** Sends a request and coalesces identical changes in flight. All callers get the response of the one request. */
export async function fetchOneChange(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetch(request);
  const { method, url, headers } = request;
  const name = JSON.stringify([method, url, headers.get('if-match'), await request.clone().text()]);
  let answer = underWay.get(name);
  if (answer === undefined) {
    answer = fetch(request).finally(() => underWay.delete(name));
    underWay.set(name, answer);
  }
  return (await answer).clone();
}
