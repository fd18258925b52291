// The runner's own results as a report: what each spec's status was, and how many suites broke.
const fs = require('fs');

module.exports = class Report {
  constructor() {
    this.reporterCapabilities = { parallel: true };
    this.specs = {};
    this.brokenSuites = 0;
  }

  specDone(spec) {
    this.specs[spec.status] = (this.specs[spec.status] || 0) + 1;
  }

  suiteDone(suite) {
    this.brokenSuites += suite.failedExpectations.length > 0;
  }

  jasmineDone(run) {
    this.suiteDone(run);
    fs.writeFileSync('report.out', JSON.stringify({ specs: this.specs, brokenSuites: this.brokenSuites }));
  }
};
