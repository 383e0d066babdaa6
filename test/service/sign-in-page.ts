/** A user of the local issuer's sign-in page. It follows redirects and stores cookies by path. */
export class PageVisitor {
  readonly #cookies = new Map<string, { value: string; path: string }>();

  /** Sends one request without following a redirect. */
  async request(url: string | URL, form?: Record<string, string>): Promise<Response> {
    const { pathname } = new URL(url);
    const cookie = [...this.#cookies].flatMap(([name, { value, path }]) =>
      pathname.startsWith(path) ? [`${name}=${value}`] : [],
    );
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: cookie.join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const path = attributes.find((attribute) => attribute.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path });
    }
    return response;
  }

  /** Follows redirects within the issuer. Returns the last response, and the URL of a redirect to another site. */
  async follow(url: string | URL, form?: Record<string, string>): Promise<{ response: Response; at: URL; left?: URL }> {
    let at = new URL(url);
    let response = await this.request(at, form);
    for (;;) {
      const location = response.headers.get('location');
      if (location === null) return { response, at };
      const next = new URL(location, at);
      if (next.origin !== at.origin) return { response, at, left: next };
      at = next;
      response = await this.request(at);
    }
  }

  /** Goes from an authorization request to the callback. Clicks the given buttons when a page shows them. */
  async signIn(url: string | URL, click: Record<string, string>): Promise<URL> {
    const opened = await this.follow(url);
    const { left } = opened.left === undefined ? await this.follow(opened.at, click) : opened;
    if (left === undefined) throw new Error(`the sign-in stayed at ${opened.at}: ${await opened.response.text()}`);
    return left;
  }
}
