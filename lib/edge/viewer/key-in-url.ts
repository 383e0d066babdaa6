/**
 * Source of `carriesKey(text)`, which finds service-account keys in a part of a URL. It matches
 * `carriesServiceAccountKey` of the origin functions, which refuse such URLs. Viewer functions must not remove or
 * redirect what the origin refuses.
 */
export const keyInUrlSource = `function carriesKey(text) {
  for (let round = 0; round < 4; round++) {
    if (/sck_[0-9A-Za-z]{30}/.test(text)) return true;
    text = text.replace(/%([0-7][0-9a-f])/gi, (all, hex) => String.fromCharCode(parseInt(hex, 16)));
  }
  return false;
}
`;
