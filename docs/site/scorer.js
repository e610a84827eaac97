// The order of search results. Sphinx scores a page by its best word and sorts pages of one score by title; here each
// word of the query that the title has counts, logs and tables of all names come after pages that explain, and of names
// that end alike the shortest comes first.
var Scorer = (() => {
    const records = /^(project\/CHANGELOG|runs\/|benches\/|benchmarks|coverage|differential|accuracy-functions|parity|releases)/;
    const words = (new URLSearchParams(window.location.search).get("q") || "")
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word.length > 2)
        .map((word) => word.replace(/(ing|e?s)$/, ""));
    return {
        score: ([page, title, anchor, description, score]) => {
            const text = title.toLowerCase();
            const found = words.filter((word) => text.includes(word)).length;
            const depth = text.startsWith("cuproxide.") ? text.split(".").length : 0;
            return score + (found ? 10 * found : records.test(page) ? -20 : 0) - depth;
        },
        objNameMatch: 11,
        objPartialMatch: 6,
        objPrio: { 0: 15, 1: 5, 2: -5 },
        objPrioDefault: 0,
        title: 15,
        partialTitle: 7,
        term: 5,
        partialTerm: 2,
    };
})();
