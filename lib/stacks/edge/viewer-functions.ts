/** Source of the viewer function for `/.health`. It refuses a key in the query, as all functions do. */
export const answerHealth = `function handler(event) {
  const query = event.request.querystring;
  for (const name in query) {
    if (/sck(?:_|%5f)/i.test(name + '=' + query[name].value)) {
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
`;
