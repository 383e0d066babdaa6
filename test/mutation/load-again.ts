let loads = 0;

/**
 * Loads a module again. The mutation runner repeats only the code of a test, so a test of constants loads their module
 * itself.
 */
export function loadAgain<Module>(url: URL): Promise<Module> {
  loads += 1;
  return import(/* @vite-ignore */ `${url.pathname}?load=${loads}`);
}
