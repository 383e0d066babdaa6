import { takeLinkSecret } from '../data/link-secret.ts';
import { openLinkPage } from './link-page.tsx';

const main = document.getElementById('main');
const [, id] = /^\/-\/links\/([^/]+)$/.exec(location.pathname) ?? [];
if (main !== null && id !== undefined) void openLinkPage(main, { id, secret: takeLinkSecret(id) });
