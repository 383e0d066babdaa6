/** One request as the page sends it. */
export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Blob | string | undefined;
  signal: AbortSignal;
  /** Called during the upload with the number of sent bytes, if the browser reports it. */
  onSent?: ((bytes: number) => void) | undefined;
}

export interface IncomingAnswer {
  status: number;
  /** Returns null for a header that is absent or that CORS hides from pages. */
  header(name: string): string | null;
  /** Names in lower case, of the headers that CORS exposes to pages. */
  headerNames: readonly string[];
  /** The complete body. Responses are small, except for objects, which this code never reads. */
  text: string;
}

/** Sends one request. Rejects with the signal's reason after an abort, or with any other error without a response. */
export type Transport = (request: OutgoingRequest) => Promise<IncomingAnswer>;

/** For every request that needs no upload progress. */
export const fetchTransport: Transport = async ({ method, url, headers, body, signal }) => {
  const answer = await fetch(url, {
    method,
    headers,
    signal,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    ...(body === undefined ? {} : { body }),
  });
  // Reads the body at once, so that a broken response counts as no response.
  const content = await answer.text();
  const { status, headers: received } = answer;
  return { status, header: (name) => received.get(name), headerNames: [...received.keys()], text: content };
};

/** A connection without progress for this long counts as lost. The browser itself may wait for many minutes. */
const stalledMs = 60_000;

/** Works like `fetch` and reports upload progress, which `fetch` cannot. A part takes minutes on a slow connection. */
export const xhrTransport: Transport = (request) => {
  const { method, url, headers, body, signal, onSent } = request;
  if (onSent === undefined || body === undefined) return fetchTransport(request);
  return new Promise<IncomingAnswer>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const xhr = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout>;
    const end = (reason: unknown) => {
      reject(reason);
      xhr.abort();
    };
    const onAbort = () => end(signal.reason);
    const awaitProgress = () => {
      clearTimeout(timer);
      timer = setTimeout(() => end(new TypeError('no progress for a minute')), stalledMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    xhr.upload.onprogress = ({ loaded }) => {
      awaitProgress();
      onSent(loaded);
    };
    xhr.onerror = () => reject(new TypeError('no answer'));
    xhr.onload = () => {
      const { status, responseText: text } = xhr;
      resolve({ status, header: (name) => xhr.getResponseHeader(name), headerNames: [], text });
    };
    xhr.onloadend = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    awaitProgress();
    xhr.send(body);
  });
};
