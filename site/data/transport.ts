/** An HTTP request of the page to the data proxy. */
export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Blob | string | undefined;
  signal: AbortSignal;
  /** Called during the upload with the number of bytes sent so far, if the browser reports this number. */
  onSent?: ((bytes: number) => void) | undefined;
}

export interface IncomingAnswer {
  status: number;
  /** Returns the value of a header. Returns null if the header is missing, or if CORS hides it from pages. */
  header(name: string): string | null;
  /** The names of the headers that CORS exposes to pages, in lower case. */
  headerNames: readonly string[];
  /** The complete response body as text. Empty if the response has `bytes`. */
  text: string;
  /** The bytes of an object, at most the requested number. Only `rangeTransport` downloads objects. */
  bytes?: Uint8Array<ArrayBuffer>;
}

/**
 * Sends one request. Rejects with the signal's reason after an abort. Rejects with another error when there is no
 * response.
 */
export type Transport = (request: OutgoingRequest) => Promise<IncomingAnswer>;

function send({ method, url, headers, body, signal }: OutgoingRequest): Promise<Response> {
  return fetch(url, {
    method,
    headers,
    signal,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    ...(body === undefined ? {} : { body }),
  });
}

/** Sends requests that need no upload progress. */
export const fetchTransport: Transport = async (request) => {
  const answer = await send(request);
  // Read the body at once. If the connection breaks during the body, the request then fails like a request without a
  // response.
  const content = await answer.text();
  return { ...describe(answer), text: content };
};

function describe({ status, headers }: Response): Omit<IncomingAnswer, 'text'> {
  return { status, header: (name) => headers.get(name), headerNames: [...headers.keys()] };
}

/** Sends requests, and returns the bytes of the answer to a request with a range. */
export const rangeTransport: Transport = async (request) => {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers['range'] ?? '') ?? [];
  if (end === undefined) return fetchTransport(request);
  const answer = await send(request);
  if (!answer.ok) return { ...describe(answer), text: await answer.text() };
  // Storage that ignores the range header sends the whole object. This is correct only for a range that begins at the
  // first byte.
  if (answer.status !== 206 && start !== '0') {
    await answer.body?.cancel();
    throw new TypeError('the answer is not the requested range');
  }
  return { ...describe(answer), text: '', bytes: await readAtMost(answer, Number(end) - Number(start) + 1) };
};

async function readAtMost({ body }: Response, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = body?.getReader();
  while (reader !== undefined && length < bytesMax) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.byteLength;
  }
  await reader?.cancel();
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes.subarray(0, bytesMax);
}

/** The time without upload progress after which a connection is treated as lost. Browsers may wait for many minutes. */
const stalledMs = 60_000;

/**
 * Sends a request and reports upload progress, which `fetch` cannot do. Progress matters because an upload part can
 * take minutes.
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
