import { fetchTransport, type IncomingAnswer, type Transport } from './transport.ts';

/** A connection without progress for this long counts as lost. The browser itself may wait for many minutes. */
const stalledMs = 60_000;

/** Works like `fetch` and reports upload progress, which `fetch` cannot. A part takes minutes on a slow connection. */
export const xhrTransport: Transport = (request) => {
  if (request.onSent === undefined || request.body === undefined) return fetchTransport(request);
  const { method, url, headers, body, signal, onSent } = request;
  return new Promise<IncomingAnswer>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const xhr = new XMLHttpRequest();
    let watch: ReturnType<typeof setTimeout>;
    const fail = (reason: unknown) => {
      clearTimeout(watch);
      signal.removeEventListener('abort', abort);
      reject(reason);
    };
    const stall = () => {
      xhr.abort();
      fail(new TypeError('nothing moved for a minute'));
    };
    const moved = () => {
      clearTimeout(watch);
      watch = setTimeout(stall, stalledMs);
    };
    const abort = () => {
      xhr.abort();
      fail(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    xhr.upload.onprogress = ({ loaded }) => {
      moved();
      onSent(loaded);
    };
    xhr.onerror = () => fail(new TypeError('no answer came'));
    xhr.onload = () => {
      clearTimeout(watch);
      signal.removeEventListener('abort', abort);
      const { status, responseText } = xhr;
      resolve({ status, header: (name) => xhr.getResponseHeader(name), headerNames: [], text: responseText });
    };
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    moved();
    xhr.send(body);
  });
};
