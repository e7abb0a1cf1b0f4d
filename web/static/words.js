// What the other scripts say, in the reader's language. The English text in the code is the key; window.words has the translations.
"use strict";
(() => {
  const lang = document.documentElement.lang, known = window.words || {}, form = new Intl.PluralRules(lang);
  const number = (v) => typeof v === "number" ? v.toLocaleString(lang) : String(v);
  // filled puts values in the places of %s and %d, or of %[2]s where a language takes them in another order.
  function filled(text, values) {
    let next = 0;
    return text.replace(/%(?:\[(\d+)\])?([sd%])/g, (_, at, verb) => verb === "%" ? "%" : number(values[at ? (next = +at) - 1 : next++]));
  }
  window.said = (text, ...values) => filled(known[text] ?? text, values);
  // counted is said for an amount n, the first of its values: one for a single thing, many else.
  window.counted = (n, one, many, ...values) => {
    const forms = known[many] ?? [one, many];
    return filled(forms[form.select(n) === "one" ? 0 : 1], [n, ...values]);
  };
  // fetched is fetch; when the farm does not answer its error says that, and not what a browser calls it.
  window.fetched = (address, options, silence = said("The farm does not answer. Try again.")) =>
    fetch(address, options).catch((err) => { throw err.name === "AbortError" ? err : new Error(silence); });
})();
