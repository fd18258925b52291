throw new Error('before any test');
