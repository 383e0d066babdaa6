/** One HTTP request of the page. */
export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Blob | string | undefined;
  signal: AbortSignal;
  /** Called during the upload with the number of bytes sent so far, if the browser reports it. */
  onSent?: ((bytes: number) => void) | undefined;
}

export interface IncomingAnswer {
  status: number;
  /** Returns the value of a header. Returns null if the header is missing, or if CORS hides it from pages. */
  header(name: string): string | null;
  /** The names of the headers that CORS exposes to pages, in lower case. */
  headerNames: readonly string[];
  /** The complete response body. All responses are small, because this code never downloads the content of objects. */
  text: string;
}

/**
 * Sends one request. Rejects with the signal's reason after an abort. Rejects with another error when there is no
 * response.
 */
export type Transport = (request: OutgoingRequest) => Promise<IncomingAnswer>;

/** Sends requests that need no upload progress. */
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
  // Read the body at once. If the connection breaks during the body, the request then fails as it does without a
  // response.
  const content = await answer.text();
  const { status, headers: received } = answer;
  return { status, header: (name) => received.get(name), headerNames: [...received.keys()], text: content };
};

/**
 * A connection without upload progress for this long is treated as lost. Browsers themselves may wait for many minutes.
 */
const stalledMs = 60_000;

/**
 * Sends a request and reports upload progress, which `fetch` cannot do. Progress matters because a part takes minutes
 * on a slow connection.
 */
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
