import { createContext, type VNode } from 'preact';

/**
 * Renders an element to HTML text. Only pages that the server renders provide this function, so it is undefined in a
 * browser.
 */
export const RenderMarkup = createContext<((part: VNode) => string) | undefined>(undefined);
