import { PageVisitor } from '../../service/sign-in-page.ts';

/** The browser of a test: is given the URL that a command line opens, and clicks on the person named before it. */
const [sub = '', url = ''] = process.argv.slice(2);
const callback = await new PageVisitor().signIn(url, { sub });
await fetch(callback);
