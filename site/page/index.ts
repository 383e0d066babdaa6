import { signInPath } from '../member-page/sign-in-path.ts';
import { currentSignIn, followSignIn } from '../sign-in/stored.ts';
import { contentEnhancements } from './content.ts';

/** Improves an element of a page. Code that not every page needs is imported dynamically, so that pages load fast. */
type Enhance = (element: HTMLElement) => unknown;

/**
 * The enhancements of public pages, each with the selector of its elements. A page is complete without its
 * enhancements. They send requests only to the site.
 */
const enhancements: readonly (readonly [selector: string, Enhance])[] = [
  ...contentEnhancements,
  ['input[type=search][name=q]', (input) => onceFocused(input, suggest)],
];

/** The enhancements of pages for signed-in users. */
const enhancementsForUsers: readonly (readonly [selector: string, Enhance])[] = [
  ['header.site [data-account]', async (slot) => (await import('./account.tsx')).showAccountMenu(slot)],
  ['a[data-manage]', async (link) => (await import('./manage.ts')).showManageLink(link)],
];

async function suggest(input: HTMLElement): Promise<void> {
  (await import('./suggestions.ts')).suggestRepositories(input as HTMLInputElement);
}

/** Enhances an element when the reader first uses it. */
function onceFocused(element: HTMLElement, enhance: Enhance): void {
  if (document.activeElement === element) enhance(element);
  else element.addEventListener('focus', () => enhance(element), { once: true });
}

const isSignedIn = currentSignIn() !== undefined;
// Add the current page to the sign-in link, so that the user returns here after the sign-in.
if (!isSignedIn) document.querySelector('header.site [data-account] a')?.setAttribute('href', signInPath());
for (const [selector, enhance] of isSignedIn ? [...enhancements, ...enhancementsForUsers] : enhancements) {
  for (const element of document.querySelectorAll<HTMLElement>(selector)) {
    // A failed enhancement, such as one whose file a deployment replaced, must not stop the other enhancements.
    new Promise((done) => done(enhance(element))).catch(reportError);
  }
}

// Reload after a sign-in in another tab, so that the page shows the content for this user.
const signInAtStart = currentSignIn()?.id;
followSignIn((now) => {
  if (now !== undefined && now.id !== signInAtStart) location.reload();
});
