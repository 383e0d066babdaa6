/**
 * Source of `carriesKey(text)`: whether a part of a URL, as it came, carries what looks like a service-account key. As
 * `carriesServiceAccountKey` says it to the functions at the origin, which refuse it: what they would refuse, no viewer
 * function may take away or lead elsewhere.
 */
export const keyInUrlSource = `function carriesKey(text) {
  for (let round = 0; round < 4; round++) {
    if (/sck_[0-9A-Za-z]{30}/.test(text)) return true;
    text = text.replace(/%([0-7][0-9a-f])/gi, (all, hex) => String.fromCharCode(parseInt(hex, 16)));
  }
  return false;
}
`;
