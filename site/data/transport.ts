/** One request as it leaves the page. */
export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Blob | string | undefined;
  signal: AbortSignal;
  /** How many bytes of the body have gone so far; called while they go, where the browser tells. */
  onSent?: ((bytes: number) => void) | undefined;
}

export interface IncomingAnswer {
  status: number;
  /** Null for a header that is not there, or not shown to pages. */
  header(name: string): string | null;
  /** In lower case, of those that are shown to pages. */
  headerNames: readonly string[];
  /** Whole: answers are small, but for objects, which nothing here reads. */
  text: string;
}

/** Rejects with the signal's reason once that is aborted, and with anything else where no answer came. */
export type Transport = (request: OutgoingRequest) => Promise<IncomingAnswer>;

/** Everything that a body needs no progress for. */
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
  // Read at once: an answer that breaks off in its midst is none either.
  const content = await answer.text();
  const { status, headers: received } = answer;
  return { status, header: (name) => received.get(name), headerNames: [...received.keys()], text: content };
};
