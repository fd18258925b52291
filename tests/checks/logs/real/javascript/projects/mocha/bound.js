exports.bound = (value) => {
  if (value > 10) {
    return 10;
  }
  return value;
};
