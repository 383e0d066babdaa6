import { copy } from './copy.ts';

/**
 * Turns the link to the page itself into a button. On a phone, the button opens the share menu. Elsewhere it copies the
 * URL.
 */
export function addShareButton(link: HTMLAnchorElement): void {
  const isPhone = typeof navigator.share === 'function' && matchMedia('(pointer: coarse)').matches;
  if (!isPhone && navigator.clipboard === undefined) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.textContent = isPhone ? 'Share' : 'Copy link';
  button.addEventListener('click', () => {
    const { href: url } = link;
    if (!isPhone) return copy(url, button.firstChild as Text);
    // The promise of `navigator.share` rejects when the user closes the share menu.
    return navigator.share({ title: document.title, url }).catch(() => undefined);
  });
  link.replaceWith(button);
}
