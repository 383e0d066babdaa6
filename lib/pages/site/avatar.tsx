interface ShownAccount {
  account_id: string;
  account_type?: 'user' | 'organization' | 'service' | undefined;
  name?: string | undefined;
}

/** Background colors of avatars for white text. Each color has a contrast of at least 5 with white. */
export const avatarColors = [
  '#a8432c',
  '#8a5a00',
  '#4f6b12',
  '#0f7048',
  '#0b6b82',
  '#2f5fc4',
  '#6a4bc0',
  '#a03a80',
] as const;

/** CSS classes set the colors, because the Content Security Policy of pages forbids `style` attributes. */
export const avatarRules = `
.avatar{display:inline-flex;flex:none;align-items:center;justify-content:center;width:2rem;height:2rem;border-radius:50%;font-size:.8rem;font-weight:650;line-height:1;color:#fff;letter-spacing:.01em;overflow:hidden;user-select:none;forced-color-adjust:none}
.avatar::before{content:attr(data-initials)}
.avatar.organization{border-radius:28%}.avatar.large{width:3.5rem;height:3.5rem;font-size:1.4rem}.avatar.small{width:1.5rem;height:1.5rem;font-size:.62rem}
${avatarColors.map((color, at) => `.avatar-${at}{background:${color}}`).join('')}
`;

interface AvatarProps {
  of: ShownAccount;
  size?: 'small' | 'large' | undefined;
}

/**
 * Shows the initials of an account on a color that depends on its ID. The page must show the account's name beside the
 * avatar, because screen readers skip the avatar.
 */
export function Avatar({ of, size }: AvatarProps) {
  const classes = ['avatar', colorClassOf(of.account_id), of.account_type === 'organization' && of.account_type];
  const className = [...classes, size].filter(Boolean).join(' ');
  // The style sheet shows the initials. If they were text, the label of a button around the avatar would contain them.
  return <span class={className} data-initials={initialsOf(of)} aria-hidden="true" />;
}

/** Returns one or two letters of the name, or of the ID when the name has no letters. */
export function initialsOf({ name = '', account_id }: ShownAccount): string {
  const words = wordsOf(name);
  const [first = '', ...rest] = words.length > 0 ? words : wordsOf(account_id);
  return [first, rest.at(-1) ?? '']
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0x20).toUpperCase())
    .join('')
    .trim();
}

/**
 * Returns the groups of letters and digits in a text. Leaves out marks and control characters, because they could
 * change the text around an avatar.
 */
function wordsOf(text: string): string[] {
  return text.slice(0, 256).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns the CSS class with the background color of an account's avatar. */
export function colorClassOf(accountId: string): string {
  const sum = [...accountId].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 65_521, 7);
  return `avatar-${sum % avatarColors.length}`;
}
